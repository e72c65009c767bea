/** At most three of the names that are similar to a word, the most similar first. */
export function nearest(word: string, names: readonly string[]): string[] {
  const close = names
    .map((name) => ({
      name,
      distance: name.startsWith(word) && word.length > 1 ? 0.5 : distance(word, name),
    }))
    .filter((one) => one.distance <= Math.max(1, word.length / 3))
  return close
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ name }) => name)
}

/** How many letters have to be inserted, deleted or replaced (Levenshtein). */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...a].entries()) {
    const next = [at + 1]
    for (const [index, other] of [...b].entries())
      next.push(
        Math.min((row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1, (row[index] ?? 0) + Number(letter !== other)),
      )
    row = next
  }
  return row[b.length] ?? 0
}
