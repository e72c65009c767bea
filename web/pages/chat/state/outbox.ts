import type { Api } from '../../../api/client.ts'
import type { SendOptions } from './sent-files.ts'

let lastKey = 0
/** Keys must not meet those of another tab, for they also name the request to the daemon. */
const newKey = () => `local_${crypto.randomUUID()}_${++lastKey}`

const idsOf = (files: SendOptions['files'] = []) => files.map(({ file_id }) => file_id)
const fingerprint = (text: string, { files, replaces }: SendOptions) =>
  JSON.stringify([text, idsOf(files), replaces])

/** Hands messages of one conversation to the daemon. */
export class Outbox {
  readonly #conversation: string
  readonly #api: Pick<Api, 'raw'>
  #unsent: { what: string; key: string } | null = null

  constructor(conversation: string, api: Pick<Api, 'raw'>) {
    this.#conversation = conversation
    this.#api = api
  }

  /** The same again after a failure is the same request: the daemon stores it once. */
  keyOf(text: string, options: SendOptions): string {
    return this.#unsent?.what === fingerprint(text, options) ? this.#unsent.key : newKey()
  }

  /** Resolves with the answer's stream when the daemon has stored the message. */
  async send(key: string, text: string, options: SendOptions): Promise<Response> {
    try {
      const response = await this.#post(key, text, options)
      this.#unsent = null
      return response
    } catch (error) {
      this.#unsent = { what: fingerprint(text, options), key }
      throw error
    }
  }

  #post(key: string, text: string, { when_busy = 'queue', model, files = [], replaces }: SendOptions) {
    const body = {
      message: text,
      conversation_id: this.#conversation,
      when_busy,
      ...(model && { model }),
      ...(files.length > 0 && { attachments: idsOf(files) }),
      ...(replaces && { replaces }),
    }
    const headers = { 'idempotency-key': key }
    return this.#api.raw('POST', '/api/chat/messages/stream', { body, headers })
  }
}
