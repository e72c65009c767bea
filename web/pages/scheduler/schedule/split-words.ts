/** "every weekday at 9: summarise my inbox" is when, and what. A colon between figures belongs to a time of day. */
export function splitWords(text: string): { when: string; what: string } {
  const [when = '', what = ''] = text.split(/:(?!\d\d?(?!\d))(.*)/s)
  return { when: when.trim(), what: what.trim() }
}
