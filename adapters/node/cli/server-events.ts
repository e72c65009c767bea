export interface ReceivedEvent {
  event: string
  data: unknown
}

/** The events of a `text/event-stream` (WHATWG HTML, section 9.2.6), whose data is JSON. */
export async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  let rest = ''
  const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  for await (const chunk of text as unknown as AsyncIterable<string>) {
    const blocks = (rest + chunk).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const event = readBlock(block)
      if (event) yield event
    }
  }
}

function readBlock(block: string): ReceivedEvent | null {
  const fields = block.split('\n').map((line) => /^(event|data): ?(.*)$/.exec(line))
  const of = (name: string) => fields.filter((field) => field?.[1] === name).map((field) => field?.[2])
  const data = of('data').join('\n')
  return data === '' ? null : { event: of('event')[0] ?? 'message', data: JSON.parse(data) }
}
