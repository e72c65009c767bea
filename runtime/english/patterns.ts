/** The named patterns of a data file, each compiled when first used. `<name>` in one is another of the same file. */
export function patternsOf<Name extends string>(sources: Record<Name, string>, flags = 'u') {
  const compiled = new Map<string, RegExp>()
  const expand = (source: string): string =>
    source.replace(/(?<!\(\?)<(\w+)>/g, (sign, name) => {
      const part = (sources as Record<string, string>)[name]
      return part === undefined ? sign : `(?:${expand(part)})`
    })
  return (name: Name, more = ''): RegExp => {
    const key = `${name}/${more}`
    const pattern = compiled.get(key) ?? new RegExp(expand(sources[name]), flags + more)
    compiled.set(key, pattern)
    return pattern
  }
}
