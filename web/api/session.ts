/** The response of a login. The token is valid for at most 24 hours, and only for this daemon. */
export interface Session {
  token: string
  expires_at: string
  /** Of the person who signed in. */
  user_id?: string
}

export interface SessionStore {
  get(): Session | null
  set(session: Session): void
  clear(): void
  subscribe(listener: () => void): () => void
}

const key = 'hearthd.session'

/** The key of what a browser keeps for one person. A session that began before sessions had a `user_id` has none. */
export const ownKey = (user: string | undefined, ...name: string[]): string =>
  ['hearthd', ...(user ? [user] : []), ...name].join('.')

/**
 * Keeps the session in local storage, so a reload and a second tab stay signed in. The page runs no script
 * but the daemon's own (see its Content-Security-Policy), which makes local storage safe enough.
 */
export function createSessionStore(storage: Storage = localStorage): SessionStore {
  const listeners = new Set<() => void>()
  let current = read(storage)
  const change = (next: Session | null) => {
    current = next
    for (const listener of listeners) listener()
  }
  addEventListener('storage', (event) => {
    if (event.key === key || event.key === null) change(read(storage))
  })
  return {
    get: () => current,
    set(session) {
      storage.setItem(key, JSON.stringify(session))
      change(session)
    },
    clear() {
      storage.removeItem(key)
      change(null)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** Who is signed in. */
export const signedInUser = (): string => read(localStorage)?.user_id ?? ''

function read(storage: Storage): Session | null {
  try {
    const stored = JSON.parse(storage.getItem(key) ?? 'null') as Session | null
    return stored && Date.parse(stored.expires_at) > Date.now() ? stored : null
  } catch {
    return null
  }
}
