import { Text, UnstyledButton, type UnstyledButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import type { ComponentPropsWithRef } from 'react'
import { meQuery } from '../api/auth.ts'
import { profileQuery } from '../api/settings.ts'
import { Face } from '../parts/face.tsx'
import classes from './navigation.module.css'
import { useApi } from './services.tsx'

type UserButtonProps = UnstyledButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof UnstyledButtonProps>

export function UserButton(props: UserButtonProps) {
  const api = useApi()
  const me = useQuery(meQuery(api)).data
  const profile = useQuery(profileQuery(api)).data
  const name = profile?.display_name || me?.user?.display_name || me?.user?.username || 'You'
  return (
    <UnstyledButton className={classes.user} {...props}>
      <Face name={name} url={profile?.avatar_url ?? null} size={30} />
      <div className="grow">
        <Text size="sm" fw={500} truncate>
          {name}
        </Text>
        <Text size="xs" c="dimmed" truncate>
          {me?.user?.role === 'admin' ? 'Administrator' : (me?.user?.username ?? ' ')}
        </Text>
      </div>
    </UnstyledButton>
  )
}
