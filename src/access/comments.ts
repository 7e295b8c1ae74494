// What a role may do with comments: edit, delete, resolve.
import type { Role } from '../model/common.js'
import { allows } from './policy.js'

/** What a reader may do with a comment or reply. Only its author may change its text; an admin may delete it. */
export const presentCommentPermissions = (role: Role, author: boolean) => ({
  view: allows('space:view', role),
  edit: author && allows('space:comment', role),
  reply: allows('space:comment', role),
  delete: allows('space:comment', role) && (author || allows('space:admin', role)),
})

/** Whether somebody may resolve a comment, or reopen it: its author, and everybody who may edit the content that it is about. */
export const mayResolve = (role: Role, author: boolean): boolean => allows('space:edit', role) || (author && allows('space:comment', role))
