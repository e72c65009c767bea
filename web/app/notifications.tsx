import { Notifications } from '@mantine/notifications'

/** A separate chunk, because most visits show no notification. */
export default () => <Notifications position="bottom-right" limit={4} />
