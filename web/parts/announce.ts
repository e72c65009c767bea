import { notifications } from '@mantine/notifications'
import { readable } from '../api/error.ts'

const closeButtonProps = { 'aria-label': 'Dismiss' }

/** Says in a corner that something went well. */
export const announce = (message: string) =>
  notifications.show({ message, autoClose: 4_000, closeButtonProps })

/** Says in a corner what went wrong, once however often it happens. */
export function announceError(error: unknown): void {
  const message = readable(error)
  notifications.show({
    id: message,
    message,
    color: 'red',
    title: 'That did not work',
    autoClose: 8_000,
    closeButtonProps,
  })
}
