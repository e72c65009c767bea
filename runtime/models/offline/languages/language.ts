export type Act = 'greet' | 'thanks' | 'help' | 'time' | 'date' | 'remember' | 'name' | 'recall' | 'remind'

/** What this model reads and says in a language. Where a language has no pattern for something, it says its limit. */
export interface Language {
  /** BCP 47, also used to format dates. */
  code: string
  name: string
  /** Frequent words that English has not. */
  words: string
  /** Groups: `content`, `name`, `query`, `place`, `rest`. Tried in this order. */
  phrases: readonly [Act, RegExp][]
  /** Of languages that a schedule can be read in; their phrases have the act `remind`. */
  reminders?: {
    /** What stands before the thing itself, such as "to" in English. */
    lead: RegExp
    /** Asks what to remind of, and when, with an example. */
    ask: string
    set(task: string, moment: string): string
  }
  say: {
    /** Said once in a conversation. */
    notice: string
    hello: string
    welcome: string
    help: string
    limit: string
    saved(content: string): string
    met(name: string): string
    found: string
    nothing: string
    time(time: string, date: string, zone: string): string
    date(date: string, zone: string): string
    noPlace(place: string): string
    page(title: string): string
    lacks(tool: string): string
    refused: string
    failed(reason: string): string
  }
}
