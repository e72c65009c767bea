import { Matcher, RE2JS } from 're2js'

/**
 * A person's regular expression in time linear in the text: an automaton that never backtracks, so it has neither
 * look-around nor references to groups. Throws an `Error` for those. Has what JSONata uses of `RegExp`.
 */
export class LinearPattern {
  lastIndex = 0
  readonly #pattern: RE2JS

  constructor(source: RegExp) {
    const script = source.source.replace(/\\(p)\{(?:Script|sc)=(\w+)\}/gi, '\\$1{$2}')
    this.#pattern = RE2JS.compile(RE2JS.translateRegExp(new RegExp(script, source.flags.replace('u', ''))))
  }

  replaceAll(text: string, by: string): string {
    return this.#pattern.matcher(text).replaceAll(Matcher.quoteReplacement(by))
  }

  /** The first match at or after `lastIndex`, which moves behind it. */
  exec(text: string): RegExpExecArray | null {
    const matcher = this.#pattern.matcher(text)
    if (this.lastIndex > text.length || !matcher.find(this.lastIndex)) return null
    this.lastIndex = matcher.end()
    const groups = Array.from({ length: matcher.groupCount() + 1 }, (_, index) => matcher.group(index))
    return Object.assign(groups, { index: matcher.start(), input: text }) as unknown as RegExpExecArray
  }
}
