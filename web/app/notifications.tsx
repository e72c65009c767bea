import { Notifications as Corner } from '@mantine/notifications'

/** A separate chunk, because most visits show no notification. */
export const Notifications = () => <Corner position="bottom-right" limit={4} />
