import { createContext, lazy, Suspense, use, useDeferredValue } from 'react'
import classes from './markdown.module.css'

const Rendered = lazy(async () => ({ default: (await import('./rendered.tsx')).Rendered }))

/** True for what nobody sees yet: it is set as plain text first, and rendered when nothing more urgent is to be drawn. */
export const OutOfSight = createContext(false)

/** Markdown of a model. Until its renderer is there the same words stand as plain text. */
export function Markdown({ text }: { text: string }) {
  const wanted = useDeferredValue(true, !use(OutOfSight))
  const plain = <p className={classes.plain}>{text}</p>
  return (
    <div className={classes.text}>
      <Suspense fallback={plain}>{wanted ? <Rendered text={text} /> : plain}</Suspense>
    </div>
  )
}
