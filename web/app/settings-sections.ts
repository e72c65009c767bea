import {
  IconArrowBackUp,
  IconArrowsSplit,
  IconArrowsTransferUp,
  IconBell,
  IconBook2,
  IconBrain,
  IconCoins,
  IconDatabase,
  IconHistory,
  IconKey,
  IconLayout,
  IconLock,
  IconMail,
  IconPlug,
  IconPlugConnected,
  IconPuzzle,
  IconRobot,
  IconRoute,
  IconServer,
  IconShieldLock,
  IconUserCircle,
  IconUsers,
} from '@tabler/icons-react'
import type { ComponentType } from 'react'

export interface SettingsSection {
  id: string
  label: string
  icon: ComponentType<{ size?: number | string }>
  /** Under the title. */
  hint: string
  /** Only for the admin scope, as its endpoints are. */
  admin?: true
}

const section = (id: string, label: string, icon: SettingsSection['icon'], hint: string): SettingsSection => ({
  id,
  label,
  icon,
  hint,
})

const forAdmins = (...given: Parameters<typeof section>): SettingsSection => ({
  ...section(...given),
  admin: true,
})

/** Sections of `/settings/<id>`, in the order of their tabs. */
export const settingsSections: readonly SettingsSection[] = [
  section('profile', 'Profile', IconUserCircle, 'Your name, picture, time zone and theme.'),
  section('interface', 'Interface', IconLayout, 'How hearthd looks, and which notifications it shows.'),
  section('agent', 'Answers', IconRobot, 'Defaults for how agents answer.'),
  forAdmins('providers', 'Model providers', IconPlugConnected, 'Changes take effect immediately.'),
  section('spending', 'Spending', IconCoins, 'Budgets, prices and the kill switch.'),
  section('proactive', 'Proactive', IconBell, 'What agents may start on their own, and when.'),
  section('strategy', 'Project defaults', IconRoute, 'How projects plan, run and check their tasks.'),
  section('dispatcher', 'Dispatcher', IconArrowsSplit, 'What Home does with your text.'),
  section('memory', 'Memory', IconBrain, 'What is remembered, searched and forgotten.'),
  section('skills', 'Skills', IconBook2, 'Instructions that agents read when a task needs them.'),
  forAdmins('tool-servers', 'Tool servers', IconPlug, 'Programs that provide tools to agents (MCP).'),
  section('credentials', 'Credentials', IconLock, 'What workflows sign in with at other services.'),
  section('features', 'Features', IconPuzzle, 'What this machine supports, and optional packs.'),
  forAdmins('email', 'Email', IconMail, 'The mail server that hearthd sends through.'),
  forAdmins('security', 'Security', IconShieldLock, 'Limits for agents and sign-in.'),
  forAdmins('keys', 'API keys', IconKey, 'How scripts and other programs sign in.'),
  forAdmins('users', 'Users', IconUsers, 'Who may sign in, and what they may do.'),
  forAdmins('history', 'History', IconArrowBackUp, 'Who changed which settings, with undo.'),
  forAdmins('audit', 'Audit log', IconHistory, 'Who did what, newest first.'),
  forAdmins('backup', 'Backup', IconDatabase, 'Back up, verify and restore the database and files.'),
  forAdmins('storage', 'Storage', IconServer, 'Space used by data, and how long it is kept.'),
  forAdmins('transfer', 'Import & export', IconArrowsTransferUp, 'Export, import or reset your settings.'),
]
