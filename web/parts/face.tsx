import { Avatar } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { pictureQuery } from '../api/settings.ts'
import { useApi } from '../app/services.tsx'

interface FaceProps {
  name: string
  /** A URL of the daemon, or one symbol. Pictures from elsewhere are never fetched. */
  url?: string | null
  size?: number
}

/** A picture of a person or an agent, or the initials. */
export function Face({ name, url, size = 36 }: FaceProps) {
  const own = url?.startsWith('/') ? url : null
  const picture = useQuery({ ...pictureQuery(useApi(), own ?? ''), enabled: own !== null })
  const symbol = url && [...url].length <= 2 ? url : undefined
  return (
    <Avatar src={picture.data ?? null} name={name} color="gray" size={size} radius="xl" alt="" aria-hidden>
      {symbol}
    </Avatar>
  )
}
