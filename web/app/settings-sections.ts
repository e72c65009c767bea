import { IconHistory, IconKey, IconPlugConnected, IconUserCircle, IconUsers } from '@tabler/icons-react'
import type { ComponentType } from 'react'

export interface SettingsSection {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
}

/** Sections of `/settings/<id>`, in the order of their tabs. */
export const settingsSections: readonly SettingsSection[] = [
  { id: 'profile', label: 'Profile', icon: IconUserCircle },
  { id: 'providers', label: 'Model providers', icon: IconPlugConnected },
  { id: 'keys', label: 'API keys', icon: IconKey },
  { id: 'users', label: 'Users', icon: IconUsers },
  { id: 'audit', label: 'Audit log', icon: IconHistory },
]
