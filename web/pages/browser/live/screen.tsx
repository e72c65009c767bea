import { VisuallyHidden } from '@mantine/core'
import { type CSSProperties, useEffect, useRef, useState } from 'react'
import classes from '../browser.module.css'
import type { LiveState } from './messages.ts'
import type { LiveStream } from './stream.ts'
import { useTakeover } from './use-takeover.ts'

interface ScreenProps {
  stream: LiveStream
  state: LiveState | null
  taken: boolean
  leave: () => void
}

/** What the browser shows, as large as there is room; with the field over it that takes a person's hands. */
export function Screen({ stream, state, taken, leave }: ScreenProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const field = useRef<HTMLTextAreaElement>(null)
  const [painted, setPainted] = useState(false)
  useTakeover(field, { stream, state, on: taken, leave })
  useEffect(() => {
    let newest = 0
    return stream.paint((frame) => {
      const number = ++newest
      createImageBitmap(frame).then(
        (picture) => {
          if (number === newest && canvas.current) draw(canvas.current, picture)
          picture.close()
          setPainted(true)
        },
        // A picture that is broken is followed by another.
        () => undefined,
      )
    })
  }, [stream])
  const { width, height } = state ?? {}
  return (
    <div
      className={classes.screen}
      data-taken={taken || undefined}
      style={{ '--shape': (width ?? 1280) / (height ?? 720) } as CSSProperties}
      aria-busy={!painted}
    >
      <canvas
        ref={canvas}
        className={classes.canvas}
        role="img"
        aria-label={`Live view: ${state?.title || state?.url || 'an empty page'}`}
      />
      {!painted && <span className={classes.waiting}>Waiting for the first picture …</span>}
      {taken && (
        <textarea
          ref={field}
          className={classes.hands}
          aria-label="The page in the browser. Keys and mouse go to it; Shift and Escape give it back"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
      )}
      <VisuallyHidden aria-live="polite">{taken ? 'You have the page' : ''}</VisuallyHidden>
    </div>
  )
}

function draw(canvas: HTMLCanvasElement, picture: ImageBitmap): void {
  canvas.width = picture.width
  canvas.height = picture.height
  canvas.getContext('2d')?.drawImage(picture, 0, 0)
}
