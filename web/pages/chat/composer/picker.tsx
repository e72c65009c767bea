import { lazy, Suspense, useState } from 'react'
import { PickerButton, type PickerProps } from './picker-button.tsx'

/** The list of the choices is larger than all the rest of the composer, and comes when one is first opened. */
const PickerList = lazy(async () => ({ default: (await import('./picker-list.tsx')).PickerList }))

/** A small button that shows a choice and opens the others. */
export function Picker(props: PickerProps) {
  const [asked, setAsked] = useState(false)
  if (!asked) return <PickerButton picker={props} closed onClick={() => setAsked(true)} />
  return (
    <Suspense fallback={<PickerButton picker={props} closed />}>
      <PickerList {...props} />
    </Suspense>
  )
}
