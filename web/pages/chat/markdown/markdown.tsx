import { lazy, Suspense } from 'react'
import classes from './markdown.module.css'

const Rendered = lazy(async () => ({ default: (await import('./rendered.tsx')).Rendered }))

/** Markdown of a model. Until its renderer is there the same words stand as plain text. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.text}>
      <Suspense fallback={<p className={classes.plain}>{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  )
}
