import { Avatar } from '@mantine/core'

interface FaceProps {
  name: string
  /** Only pictures of the daemon itself are shown. */
  url?: string | null
  size?: number
}

/** A picture of a person or an agent, or the initials. */
export function Face({ name, url, size = 36 }: FaceProps) {
  const own = url?.startsWith('/') || url?.startsWith('data:image/') ? url : null
  const symbol = url && !own && [...url].length <= 2 ? url : undefined
  return (
    <Avatar src={own} name={name} color="initials" size={size} radius="xl" alt="" aria-hidden>
      {symbol}
    </Avatar>
  )
}
