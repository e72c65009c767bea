import { useZone } from '../../parts/time.tsx'

export function ZoneNote() {
  return <>Work that begins by itself. Times are those of {useZone().replaceAll('_', ' ')}.</>
}
