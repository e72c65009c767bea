import type { FilePart, Message } from '../../../../runtime/chat/schema.ts'
import type { Api } from '../../../api/client.ts'
import { ApiError } from '../../../api/error.ts'
import type { WhenBusy } from './session.ts'

export interface SendOptions {
  when_busy?: WhenBusy
  model?: string
  files?: readonly FilePart[]
  /** A message of the person that this one takes the place of. */
  replaces?: string
}

/** What came along with a message. */
export const filesOf = (message: Message | undefined): FilePart[] =>
  message?.parts.filter((part) => part.type === 'file') ?? []

/** The files of a message that are still there: a deleted one cannot be sent again. */
export async function presentFiles(api: Pick<Api, 'get'>, message: Message | undefined): Promise<FilePart[]> {
  const asked = filesOf(message).map((file) =>
    api.get(`/api/files/${file.file_id}`).then(
      () => [file],
      (error: unknown) => {
        if (error instanceof ApiError && error.status === 404) return []
        throw error
      },
    ),
  )
  return (await Promise.all(asked)).flat()
}
