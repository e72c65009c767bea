import { IconHistory, IconKey, IconPlugConnected, IconUserCircle, IconUsers } from '@tabler/icons-react'
import type { ComponentType } from 'react'

export interface SettingsSection {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
  /** The endpoints behind it ask for the admin scope. */
  admin: boolean
}

/** Sections of `/settings/<id>`, in the order of their tabs. */
export const settingsSections: readonly SettingsSection[] = [
  { id: 'profile', label: 'Profile', icon: IconUserCircle, admin: false },
  { id: 'providers', label: 'Model providers', icon: IconPlugConnected, admin: true },
  { id: 'keys', label: 'API keys', icon: IconKey, admin: true },
  { id: 'users', label: 'Users', icon: IconUsers, admin: true },
  { id: 'audit', label: 'Audit log', icon: IconHistory, admin: true },
]
