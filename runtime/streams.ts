/** The bytes as the only piece. */
export async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** A stream of pieces that are made as they are read. */
export const streamOf = <Piece>(pieces: AsyncGenerator<Piece>): ReadableStream<Piece> =>
  new ReadableStream({
    async pull(controller) {
      const { done, value } = await pieces.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await pieces.return(undefined)
    },
  })

/** All pieces as one. */
export async function joined(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const piece of pieces) all.push(piece)
  if (all.length === 1 && all[0]) return all[0]
  const whole = new Uint8Array(all.reduce((size, { byteLength }) => size + byteLength, 0))
  let offset = 0
  for (const piece of all) {
    whole.set(piece, offset)
    offset += piece.byteLength
  }
  return whole
}

/** The first characters of a response, without NUL, which cannot be stored; the rest is not read. */
export async function beginningOf({ body }: Response, length: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const piece of body ?? []) {
    text += decoder.decode(piece, { stream: true })
    if (text.length >= length) break
  }
  return text.slice(0, length).replaceAll('\u0000', '')
}
