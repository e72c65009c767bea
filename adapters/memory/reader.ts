import { documentText } from '../../runtime/documents/text.ts'
import { factsIn, namesIn } from '../../runtime/memory/graph/rule-reader.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { Reader } from '../../runtime/ports/reader.ts'

/** For hosts without threads: reads on the event loop and yields after each text. */
export function createReader(clock: Pick<Clock, 'after'>): Reader {
  const each = async <Text, Read>(
    texts: readonly Text[],
    read: (text: Text) => Promise<Read>,
    signal?: AbortSignal,
  ): Promise<Read[]> => {
    const reads: Read[] = []
    signal?.throwIfAborted()
    for (const text of texts) {
      reads.push(await read(text))
      await clock.after(0, signal)
    }
    return reads
  }
  return {
    names: (texts, signal) => each(texts, namesIn, signal),
    facts: (texts, signal) => each(texts, factsIn, signal),
    document: (call, signal) => documentText({ ...call, pause: () => clock.after(0, signal) }),
    close: async () => undefined,
  }
}
