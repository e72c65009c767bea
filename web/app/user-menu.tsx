import { lazy, Suspense, useState } from 'react'
import { UserButton } from './user-button.tsx'

const OpenUserMenu = lazy(async () => ({ default: (await import('./open-user-menu.tsx')).OpenUserMenu }))

/** Who is signed in; a click opens what they can do. */
export function UserMenu({ close }: { close: () => void }) {
  const [asked, setAsked] = useState(false)
  const closed = { 'aria-haspopup': 'menu', 'aria-expanded': false } as const
  if (!asked) return <UserButton {...closed} onClick={() => setAsked(true)} />
  return (
    <Suspense fallback={<UserButton {...closed} />}>
      <OpenUserMenu close={close} />
    </Suspense>
  )
}
