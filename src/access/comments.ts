// What a role may do with comments: edit, delete, resolve.
import type { Role } from '../model/common.js'
import { allows, type Caller, mayNow } from './policy.js'

/** What a reader may do with a comment or reply. Only its author may change its text; an admin may delete it. */
export const presentCommentPermissions = (caller: Caller, author: boolean) => ({
  view: mayNow('space:view', caller),
  edit: author && mayNow('space:comment', caller),
  reply: mayNow('space:comment', caller),
  delete: mayNow('space:comment', caller) && (author || mayNow('space:admin', caller)),
})

/** Whether somebody may resolve a comment, or reopen it: its author, and everybody who may edit the content that it is about. */
export const mayResolve = (role: Role, author: boolean): boolean =>
  allows('space:edit', role) || (author && allows('space:comment', role))
