/**
 * An event that has nothing but a piece of text, in the formats of OpenAI's chat completions and Anthropic's messages: what
 * precedes the text, the text as JSON has it, and what follows it. One with counts or probabilities of tokens has more.
 */
const textEvent =
  /^((?:event: \w+\n)?data: ?\{(?:(?!"delta":|"usage":\{|"logprobs":\{).)*"delta":\{(?:"\w+":(?:null|""|"assistant"|"text_delta"|"thinking_delta"),)*"(?:content|reasoning_content|reasoning|text|thinking)":")((?:[^"\\]|\\.)*)("(?:,"\w+":(?:null|""))*\}(?:(?!"delta":|"usage":\{|"logprobs":\{).)*\n\n)$/

/** Characters; patterns overflow the stack at megabytes. */
const maxLength = 1_000_000

const isText = /^(?:[^"\\]|\\.)*$/

/**
 * Joins neighbouring events of a stream that differ in their text only. The provider packages take some 25 µs for each
 * event; under load, what a socket has received meanwhile is one event to them.
 */
export function mergeDeltas(events: string): string {
  if (events.length > maxLength) return events
  const merged: string[] = []
  let before = ''
  let after = ''
  const close = () => {
    merged.push(after)
    after = ''
  }
  for (let start = 0; start < events.length; ) {
    const blank = events.indexOf('\n\n', start)
    const event = events.slice(start, blank < 0 ? undefined : blank + 2)
    start += event.length
    const text = event.slice(before.length, -after.length)
    if (after && event.length >= before.length + after.length && event === before + text + after && isText.test(text)) {
      merged.push(text)
      continue
    }
    close()
    const parts = textEvent.exec(event)
    if (!parts) merged.push(event)
    else {
      before = parts[1] ?? ''
      after = parts[3] ?? ''
      merged.push(before, parts[2] ?? '')
    }
  }
  close()
  return merged.join('')
}
