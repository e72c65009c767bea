/** Words of which each rule takes out what it has read; at the end nothing may be left. */
export class Draft {
  text: string

  constructor(text: string) {
    this.text = text
  }

  /** Takes out the first match. */
  take(pattern: RegExp): RegExpExecArray | null {
    const found = pattern.exec(this.text)
    if (!found) return null
    const rest = this.text.slice(found.index + found[0].length)
    this.text = `${this.text.slice(0, found.index)} ${rest}`.replace(/\s+/g, ' ').trim()
    return found
  }

  /** Takes out every match, first to last. */
  takeAll(pattern: RegExp): RegExpExecArray[] {
    const all: RegExpExecArray[] = []
    for (let found = this.take(pattern); found; found = this.take(pattern)) all.push(found)
    return all
  }

  has(pattern: RegExp): boolean {
    return pattern.test(this.text)
  }

  /** What no rule has read, without the words that join and mean nothing by themselves. */
  get rest(): string {
    return this.text
      .replace(filler, ' ')
      .replace(/[\s,;:.()&/+-]+/g, ' ')
      .trim()
  }
}

const filler =
  /(?<![\p{L}\d])(?:at|on|in|of|the|a|an|and|or|for|by|around|about|each|every|always|exactly|please|then|once|only|run|also|to|it|during|local|time|o'?clock|sharp|as well|both|day|days|per|is|this|coming|date)(?![\p{L}\d])/gu
