/** The client's stored state. `received`: the position of the last command, stored before it runs. */
export interface Stored {
  device_id: string
  device_token: string
  received: number
}

const key = 'hearthd.device'

export function load(): Stored | null {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') as Stored | null
  } catch {
    return null
  }
}

export const save = (stored: Stored): void => localStorage.setItem(key, JSON.stringify(stored))
export const forget = (): void => localStorage.removeItem(key)
