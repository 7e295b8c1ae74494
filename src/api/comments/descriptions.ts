/** What the descriptions of the endpoints of comments have in common. */
export const about = {
  target:
    'Without a target the comment is about the whole. It can be about a page (`page`: its ID), a node of a page (`node`: its key in the `document` format) or a table cell ' +
    '(`tableCell`: the IDs of its record and column). Returns 400 if the target is not in the current content.',
  page:
    '`target.page` is the page as it is now; it is followed by its ID through moves, renames and merges. `outdated` is true if the text of the page has changed since the comment was ' +
    'made; for a comment on a node or cell, only if nothing in the page has the same text any more. If the page is gone (`deleted`), its title and path are the last known ones.',
  update:
    'Only the author may edit the body (`editedAt` is set). The author, and everybody with the role edit, may set `resolved`; resolving a comment that is already resolved changes ' +
    'neither who resolved it nor when. All or nothing: returns 403 if you may not do one of these.',
  reactions:
    'Everybody who may comment may react, once with each emoji, and remove their own reactions. Returns 409 above 50 different emoji.',
} as const

/** Largest body of a request with a comment, reply or review, in bytes: block trees need more bytes than the markdown they become. */
export const COMMENT_BODY_LIMIT_BYTES = 256 * 1024
