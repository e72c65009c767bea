/** JSON that can also hold bytes, as one character each, and streams, as their pieces and what ended them. */
export async function encode(value: unknown): Promise<string> {
  return JSON.stringify(await withoutStreams(value), (_, member: unknown) =>
    member instanceof Uint8Array ? { $bytes: toText(member) } : member,
  )
}

export const decode = (text: string): unknown =>
  JSON.parse(text, (_, member: unknown) => {
    const { $bytes, $pieces, $broken } = (member ?? {}) as Encoded
    if (typeof $bytes === 'string') return Uint8Array.from($bytes, (character) => character.charCodeAt(0))
    return $pieces ? streamOf($pieces, $broken) : member
  })

interface Encoded {
  $bytes?: string
  $pieces?: Uint8Array[]
  $broken?: string
}

async function withoutStreams(value: unknown): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map(withoutStreams))
  if (value === null || typeof value !== 'object' || value instanceof Uint8Array) return value
  if (Symbol.asyncIterator in value) return piecesOf(value as AsyncIterable<Uint8Array>)
  const members = Object.entries(value).map(async ([key, member]) => [key, await withoutStreams(member)])
  return Object.fromEntries(await Promise.all(members))
}

async function piecesOf(stream: AsyncIterable<Uint8Array>): Promise<Encoded> {
  const $pieces: Uint8Array[] = []
  try {
    for await (const piece of stream) $pieces.push(piece)
    return { $pieces }
  } catch (thrown) {
    return { $pieces, $broken: (thrown as Error).message }
  }
}

const streamOf = (pieces: Uint8Array[], broken: string | undefined): ReadableStream<Uint8Array> =>
  new ReadableStream({
    pull(controller) {
      const piece = pieces.shift()
      if (piece) controller.enqueue(piece)
      else if (broken === undefined) controller.close()
      else controller.error(new Error(broken))
    },
  })

function toText(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return text
}
