/** Marks text from outside, which is data and no instruction. What would close the mark early is defused. */
export function quarantined(output: unknown): string {
  const text = typeof output === 'string' ? output : JSON.stringify(output)
  return `<untrusted>\n${text.replace(/<(\/?)untrusted/gi, '&lt;$1untrusted')}\n</untrusted>`
}
