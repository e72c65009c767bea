import { Avatar } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pictureQuery } from '../api/settings.ts'
import { useApi } from '../app/services.tsx'

interface FaceProps {
  name: string
  /** An address of the daemon itself, or one symbol. Pictures elsewhere are never fetched. */
  avatar?: string | null
  size?: number
}

/** A picture of a person or an agent, or the initials. */
export function Face({ name, avatar, size = 36 }: FaceProps) {
  const own = avatar?.startsWith('/') ? avatar : null
  const picture = useQuery({ ...pictureQuery(useApi(), own ?? ''), enabled: own !== null })
  const symbol = avatar && [...avatar].length <= 2 ? avatar : undefined
  return (
    <Avatar src={picture.data ?? null} name={name} color="gray" size={size} radius="xl" alt="" aria-hidden>
      {symbol}
    </Avatar>
  )
}
