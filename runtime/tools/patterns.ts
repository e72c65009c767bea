/** Patterns are names, `prefix*`, or `*` for all. */
export function matchesAny(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  )
}
