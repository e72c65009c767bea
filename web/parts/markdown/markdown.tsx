import { createContext, use, useDeferredValue } from 'react'
import { lazily } from '../lazily.ts'
import classes from './markdown.module.css'

const plain = ({ text }: { text: string }) => <p className={classes.plain}>{text}</p>

const Rendered = lazily(() => import('./rendered.tsx'), 'Rendered', plain)

/** True for text that is not visible yet: it is shown as plain text first and rendered with low priority. */
export const OutOfSight = createContext(false)

/** Markdown from a model. Until the renderer has loaded, it is shown as plain text. */
export function Markdown({ text }: { text: string }) {
  const wanted = useDeferredValue(true, !use(OutOfSight))
  return <div className={classes.text}>{wanted ? <Rendered text={text} /> : plain({ text })}</div>
}
