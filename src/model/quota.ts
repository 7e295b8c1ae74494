/** Quotas of organizations, and what an organization uses of them. */
import { Type } from '@sinclair/typebox'
import { nullable } from './common.js'

export const quotaNames = ['spaces', 'members', 'files', 'bytes'] as const
export type QuotaName = (typeof quotaNames)[number]

/** Maximum values per organization; 0 = no limit. */
export type Quotas = Readonly<Record<QuotaName, number>>

const quota = (description: string) =>
  Type.Object(
    {
      used: Type.Integer({ minimum: 0 }),
      allowed: nullable(Type.Integer({ minimum: 1, description: 'Null = no limit.' })),
    },
    { description },
  )

export const OrganizationUsage = Type.Object(
  {
    object: Type.Literal('organization-usage'),
    spaces: quota('Spaces, without deleted ones.'),
    members: quota('Members, with guests.'),
    files: quota('Files of the main content of all spaces, without deleted ones.'),
    bytes: quota('Size of the repositories and Git LFS files of all spaces, including deleted ones.'),
  },
  { $id: 'OrganizationUsage' },
)
