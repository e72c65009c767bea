import { Fragment, type ReactNode, useEffect, useState } from 'react'
import { CopyButton } from '../copy-button.tsx'
import type { Piece } from './highlight.ts'
import classes from './markdown.module.css'

/** Code with its language, a copy button, and highlighting as soon as its grammar has loaded. */
export function CodeBlock({ code, language }: { code: string; language: string }) {
  const pieces = useHighlighted(code, language)
  return (
    <figure className={classes.code}>
      <figcaption className={classes.bar}>
        <span>{language || 'text'}</span>
        <CopyButton value={code} what="code" />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: wide code is scrolled with the keyboard */}
      <pre tabIndex={0}>
        <code>{pieces ? draw(pieces) : code}</code>
      </pre>
    </figure>
  )
}

function useHighlighted(code: string, language: string): Piece[] | null {
  const [done, setDone] = useState<{ code: string; pieces: Piece[] | null }>({ code: '', pieces: null })
  useEffect(() => {
    if (!language) return
    let wanted = true
    void import('./highlight.ts')
      .then(({ highlight }) => highlight(code, language))
      .then((pieces) => wanted && setDone({ code, pieces }))
      // Without its grammar the code stays plain.
      .catch(() => undefined)
    return () => {
      wanted = false
    }
  }, [code, language])
  if (done.code === code) return done.pieces
  // While code is streaming, the highlighted part stays highlighted and the rest follows as plain text.
  const grown = done.pieces && done.code !== '' && code.startsWith(done.code)
  return grown ? [...(done.pieces ?? []), code.slice(done.code.length)] : null
}

const draw = (pieces: readonly Piece[]): ReactNode =>
  pieces.map((piece, index) => {
    // Pieces are identified only by their position.
    const key = index
    if (typeof piece === 'string') return <Fragment key={key}>{piece}</Fragment>
    return (
      <span key={key} className={piece.className}>
        {draw(piece.pieces)}
      </span>
    )
  })
