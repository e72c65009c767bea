import type { ComponentPropsWithRef } from 'react'
import { useUnreachable } from './services.tsx'

/** The class of buttons that write. */
const mark = 'writes'

/**
 * A button that submits a form or shows that a request runs; others of that kind have `data-writes`, and what works without
 * the daemon has `data-offline`.
 */
const writes = (props: object): boolean =>
  !('data-offline' in props) &&
  (('type' in props && props.type === 'submit') || 'loading' in props || 'data-writes' in props)

/** Theme of every kind of button: those that write are disabled while the daemon cannot be reached. */
export const writingButton = {
  defaultProps: { component: WritingButton },
  classNames: (_: unknown, props: object) => (writes(props) ? { root: mark } : {}),
} as const

function WritingButton({ disabled, type = 'button', ...rest }: ComponentPropsWithRef<'button'>) {
  const offline = useUnreachable()
  const stopped = offline && rest.className?.split(' ').includes(mark)
  return <button {...rest} type={type} disabled={disabled || stopped} />
}
