import { Text, Title } from '@mantine/core'
import { IconWorldWww } from '@tabler/icons-react'
import { AddressField } from './address-field.tsx'
import classes from './browser.module.css'
import { useDesk } from './desk.tsx'
import { FailureNote } from './failure-note.tsx'

/** The browser is closed: the first address opens it. */
export function Start() {
  const { act, acting } = useDesk()
  return (
    <section className={`card ${classes.start}`} aria-label="Start">
      <FailureNote />
      <IconWorldWww size={40} stroke={1.2} aria-hidden />
      <Title order={2} size="h4">
        The browser is closed
      </Title>
      <Text c="dimmed" size="sm" maw={420}>
        It opens with the first address, and closes by itself when nobody has used it for a while.
      </Text>
      <div className={classes.startField}>
        <AddressField url="" open={(url) => act({ action: 'goto', url })} busy={acting !== null} large />
      </div>
    </section>
  )
}
