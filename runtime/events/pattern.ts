/** Whether a pattern such as `job.run.failed`, `job.*` or `*` matches a type of event. */
export const matchesType = (pattern: string, type: string): boolean =>
  pattern === type || (pattern.endsWith('*') && type.startsWith(pattern.slice(0, -1)))
