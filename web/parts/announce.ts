import { notifications } from '@mantine/notifications'
import { readable } from '../api/error.ts'

const closeButtonProps = { 'aria-label': 'Dismiss' }

/** Shows a success notification in a corner. */
export const announce = (message: string) => notifications.show({ message, autoClose: 4_000, closeButtonProps })

/** Shows the delivered result of a job, such as a reminder; the conversation stays marked as unread. */
export const announceResult = (id: string, title: string, open: () => void) =>
  notifications.show({
    id,
    title,
    message: 'A job has delivered its result. Click to read it.',
    autoClose: 12_000,
    style: { cursor: 'pointer' },
    onClick() {
      notifications.hide(id)
      open()
    },
    closeButtonProps,
  })

/** Shows an error notification in a corner, once even if the error repeats. */
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
