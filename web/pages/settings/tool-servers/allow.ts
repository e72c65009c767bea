/** A name, or the beginning of one before a `*`. */
export const isAllowed = (patterns: readonly string[], name: string): boolean =>
  patterns.some((pattern) =>
    pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : pattern === name,
  )

/** The patterns after one tool is switched. All of them is `*`, which holds for those to come, too. */
export function allowWith(
  patterns: readonly string[],
  names: readonly string[],
  { name, allowed }: { name: string; allowed: boolean },
): string[] {
  const chosen = names.filter((one) => (one === name ? allowed : isAllowed(patterns, one)))
  return chosen.length === names.length ? ['*'] : chosen
}
