import type { Api } from '../../../api/client.ts'
import { type MessagePage, pageSize, withNewer, withOlder } from './stored.ts'
import type { SessionView } from './view.ts'

interface PagesParts {
  api: Pick<Api, 'get'>
  view(): SessionView
  change(changes: Partial<SessionView>): void
}

/** Reads the stretches of a conversation that are not on the page yet. */
export class Pages {
  readonly #path: string
  readonly #parts: PagesParts

  constructor(conversation: string, parts: PagesParts) {
    this.#path = `/api/chat/conversations/${conversation}/messages`
    this.#parts = parts
  }

  around = (message: string): Promise<MessagePage> => this.#read({ around: message })

  latest = (): Promise<MessagePage> => this.#read({})

  async older(): Promise<void> {
    const { thread, loading_older } = this.#parts.view()
    const first = thread.messages[0]
    if (!first || !thread.has_older || loading_older) return
    this.#parts.change({ loading_older: true })
    try {
      const page = await this.#read({ before: first.message.id })
      const current = this.#parts.view().thread
      if (current.messages[0] === first) this.#parts.change({ thread: withOlder(current, page) })
    } finally {
      this.#parts.change({ loading_older: false })
    }
  }

  async newer(): Promise<void> {
    const { thread, loading_newer } = this.#parts.view()
    const last = thread.messages.at(-1)
    if (!last || !thread.has_newer || loading_newer) return
    this.#parts.change({ loading_newer: true })
    try {
      const page = await this.#read({ after: last.message.id })
      const current = this.#parts.view().thread
      if (current.messages.at(-1) === last) this.#parts.change({ thread: withNewer(current, page) })
    } finally {
      this.#parts.change({ loading_newer: false })
    }
  }

  #read(place: Record<string, string>): Promise<MessagePage> {
    return this.#parts.api.get<MessagePage>(this.#path, { ...place, limit: pageSize })
  }
}
