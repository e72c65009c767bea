import type { Life } from './life.ts'

/** Records the viewport. */
export class Video {
  readonly life: Life

  constructor(life: Life) {
    this.life = life
  }

  async start(_options: { max_seconds: number }): Promise<void> {}

  async stop(): Promise<{ bytes: Uint8Array; duration_seconds: number } | null> {
    return null
  }
}
