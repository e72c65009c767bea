import { Notifications } from '@mantine/notifications'

/** A chunk of its own: most visits show no notification. */
export default () => <Notifications position="bottom-right" limit={4} />
