const words = (text: string): string[] => text.toLowerCase().match(/[a-z]+|\d+/g) ?? []

/** The names that share most words with what was asked for, the likeliest first. */
export function nearestNames(asked: string, names: readonly string[], most = 5): string[] {
  const wanted = words(asked)
  const scored = names.map((name) => {
    const own = words(name)
    const shared = wanted.filter((word) => own.includes(word)).length
    return { name, score: shared - own.length / 100 }
  })
  return scored
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score)
    .slice(0, most)
    .map(({ name }) => name)
}
