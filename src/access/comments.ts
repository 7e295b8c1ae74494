// The actions that a role permits on comments: edit, delete, resolve.
import type { Role } from '../model/common.js'
import { allows, type Caller, mayNow } from './policy.js'

/**
 * Returns what a reader may do with a comment or reply. Only its author may change its text; an admin may delete it.
 */
export const presentCommentPermissions = (caller: Caller, author: boolean) => ({
  view: mayNow('space:view', caller),
  edit: author && mayNow('space:comment', caller),
  reply: mayNow('space:comment', caller),
  delete: mayNow('space:comment', caller) && (author || mayNow('space:admin', caller)),
})

/** Whether the caller may resolve or reopen a comment: its author, and everyone who may edit the content, can do so. */
export const mayResolve = (role: Role, author: boolean): boolean =>
  allows('space:edit', role) || (author && allows('space:comment', role))
