import { useFoundSettings } from '../../app/find-settings.ts'
import { LinkRow } from '../../parts/link-row.tsx'
import { Nothing } from '../../parts/list.tsx'
import { Panel } from '../../parts/page.tsx'

/** The sections and fields that a search finds. */
export function Found({ query, open }: { query: string; open: () => void }) {
  const found = useFoundSettings(query)
  return (
    <Panel title="Found" count={found.length}>
      {found.length === 0 && <Nothing>No setting matches.</Nothing>}
      {found.map(({ id, path, label, description, icon: Icon }) => (
        <LinkRow key={id} href={path} icon={<Icon size={18} />} name={label} detail={description} onClick={open} />
      ))}
    </Panel>
  )
}
