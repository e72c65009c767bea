import type { Frame, PersonInput } from '../../runtime/ports/browser.ts'
import type { Life } from './life.ts'
import { screenshot } from './reading.ts'

export interface FrameOptions {
  fps: number
  quality: number
  signal: AbortSignal
}

/** Frames of the active tab, the first at once; the browser stays open meanwhile. */
export async function* frames(life: Life, { fps, quality, signal }: FrameOptions): AsyncGenerator<Frame> {
  const release = life.hold()
  try {
    while (!signal.aborted) {
      yield await life.use(async (session) => {
        const page = await session.page()
        const { width = 0, height = 0 } = page.viewportSize() ?? {}
        return { jpeg: await screenshot(page, { format: 'jpeg', quality }), width, height, at: Date.now() }
      })
      await new Promise((resolve) => setTimeout(resolve, 1_000 / fps))
    }
  } finally {
    release()
  }
}

/** Does what a person does in the live view. */
export async function input(_life: Life, _input: PersonInput): Promise<void> {}
