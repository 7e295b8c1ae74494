/** Texts that the descriptions of several comment endpoints share. */
export const about = {
  target:
    'Without a target, the comment applies to the whole content. It can be on a page (`page`: its ID), a node of a page (`node`: its key in the `document` ' +
    'format) or a table cell (`tableCell`: the IDs of its record and column). Returns 400 if the target is not in the current content.',
  page:
    '`target.page` is the page in its current state. The comment follows the page by ID through moves, renames and merges. `outdated` is true if the text ' +
    'of the page has changed since the comment was written; for a comment on a node or cell, only if no node of the page has the same text anymore; `target.node` is then the changed block, if it can still be found. If the ' +
    'page no longer exists (`deleted`), its title and path are the last known ones.',
  update:
    'Only the author can edit the body, which sets `editedAt`. The author and all users with the role edit can set `resolved`. Resolving a comment that is ' +
    'already resolved keeps the original user and time. All or nothing: returns 403 if you are not allowed to make one of these changes.',
  reactions:
    'All users who can comment can react once with each emoji, and remove their own reactions. Returns 409 for more than 50 different emoji.',
} as const

/**
 * Maximum size of a request with a comment, reply or review, in bytes. Block trees take more bytes than the markdown
 * they become.
 */
export const COMMENT_BODY_LIMIT_BYTES = 256 * 1024
