/** The health of a site: what needs attention, counts by day, and its pages. */
import { api, body, type Schemas } from '../api/client.js'
import { useData } from '../api/data.js'
import { Segments } from '../admin/form.js'
import { Listing, parameter, usePages } from '../admin/lists.js'
import { changeSite, type Site, SiteFrame, sitePath } from '../admin/site.js'
import { adminWords } from '../admin/words.js'
import { setQuery } from '../route.js'
import { Switch } from '../shell/fields.js'
import { Icon } from '../shell/icons.js'
import { Chip, Nothing, Note, Show } from '../shell/notes.js'
import { Time } from '../shell/time.js'
import { attempt } from '../shell/toast.js'
import { fill } from '../words/index.js'

type Health = Schemas['SiteHealth']
type Day = Health['days'][number]
type HealthPage = Schemas['SiteHealthPage']
const FILTERS = ['all', 'unread', 'outdated', 'broken-links', 'unhelpful'] as const
type Filter = (typeof FILTERS)[number]
const CHARTS = ['reads', 'emptySearches', 'missing', 'redirected', 'brokenLinks'] as const

export const SiteHealth = ({ site = '' }: { site?: string }) => (
  <SiteFrame id={site} part="health">
    {(one) => (one.permissions.edit ? <HealthOf site={one} /> : <Nothing />)}
  </SiteFrame>
)

function HealthOf({ site }: { site: Site }) {
  const w = adminWords().health
  const params = { path: sitePath(site) }
  const health = useData(`sites/${site.id}/health/${site.statistics.enabled}`, () =>
    body(api.GET('/v1/orgs/{organizationId}/sites/{siteId}/health', { params })),
  )
  return (
    <div class="wide stack l">
      <h1 class="title">{adminWords().site.parts.health}</h1>
      <p class="ink2">{w.lead}</p>
      {site.permissions.admin && (
        <section class="panel">
          <div class="pb stack s">
            <Switch
              checked={site.statistics.enabled}
              onChange={(enabled) => attempt(() => changeSite(site, { statistics: { enabled } }))}
            >
              {w.count}
            </Switch>
            <p class="help">{w.countHelp}</p>
          </div>
        </section>
      )}
      <Show data={health}>
        {(value) => (
          <>
            {!value.counted && <Note>{w.notCounted}</Note>}
            <Days site={site} days={value.days} />
            <Texts title={w.searches} none={w.noSearches} column={w.query} texts={value.searches} />
            <Texts title={w.missing} none={w.noMissing} column={w.address} texts={value.missing} />
            <Texts title={w.redirected} none={w.noRedirected} column={w.address} texts={value.redirected} />
            <Pages site={site} counts={value.pages} />
          </>
        )}
      </Show>
    </div>
  )
}

/** The address of a table as CSV. */
const csvAddress = ({ id, organization }: Site, table: 'pages' | 'days') =>
  `/v1/orgs/${organization}/sites/${id}/health/csv?table=${table}`

const Download = ({ site, table }: { site: Site; table: 'pages' | 'days' }) => (
  <a class="btn small" href={csvAddress(site, table)} download>
    <Icon name="table" />
    {adminWords().health.csv}
  </a>
)

function Days({ site, days }: { site: Site; days: readonly Day[] }) {
  const w = adminWords().health
  if (days.length === 0) return null
  return (
    <section class="stack" aria-labelledby="days">
      <div class="row wrap">
        <h2 class="h grow" id="days">
          {w.days}
        </h2>
        <Download site={site} table="days" />
      </div>
      <div class="charts">
        {CHARTS.map((name) => (
          <Chart key={name} title={w.counts[name]} days={days} of={(day) => day[name]} />
        ))}
      </div>
      <details class="panel">
        <summary>{w.asTable}</summary>
        <table class="tbl cards">
          <thead>
            <tr>
              <th>{w.day}</th>
              {CHARTS.map((name) => (
                <th key={name} class="num">
                  {w.counts[name]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...days].reverse().map((day) => (
              <tr key={day.day}>
                <td>{day.day}</td>
                {CHARTS.map((name) => (
                  <td key={name} class="num" data-label={w.counts[name]}>
                    {day[name] ?? '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  )
}

/** Height of a chart, width of a day with its gap, and the number of days for which it has room at least. */
const HEIGHT = 48
const DAY = 8
const MIN_DAYS = 30

/** A count by day as bars. The table below has the same numbers. */
function Chart({ title, days, of }: { title: string; days: readonly Day[]; of: (day: Day) => number | null }) {
  const values = days.map(of)
  const last = [...values].reverse().find((value) => value !== null)
  const most = Math.max(1, ...values.map((value) => value ?? 0))
  const before = Math.max(0, MIN_DAYS - days.length)
  const label = fill(adminWords().health.chart, { title, days: days.length, most, last: last ?? 0 })
  return (
    <figure class="panel chart">
      <figcaption>
        <span>{title}</span> <b>{last ?? '–'}</b>
      </figcaption>
      <svg
        viewBox={`0 0 ${(before + days.length) * DAY} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        {values.map((value, at) => {
          const height = ((value ?? 0) / most) * HEIGHT
          return (
            <rect key={days[at]?.day} x={(before + at) * DAY} y={HEIGHT - height} width={DAY - 1} height={height} />
          )
        })}
      </svg>
    </figure>
  )
}

const Texts = ({
  title,
  none,
  column,
  texts,
}: {
  title: string
  none: string
  column: string
  texts: Health['searches']
}) => (
  <section class="stack s">
    <h2 class="h">{title}</h2>
    {texts.length === 0 ? (
      <p class="muted">{none}</p>
    ) : (
      <div class="panel">
        <table class="tbl">
          <thead>
            <tr>
              <th>{column}</th>
              <th class="num">{adminWords().health.times}</th>
            </tr>
          </thead>
          <tbody>
            {texts.map(({ text, count }) => (
              <tr key={text}>
                <td>
                  <code dir="auto">{text}</code>
                </td>
                <td class="num">{count}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    )}
  </section>
)

const isFilter = (name: string): name is Filter => FILTERS.some((one) => one === name)

function Pages({ site, counts }: { site: Site; counts: Health['pages'] }) {
  const w = adminWords().health
  const asked = parameter('filter', 'all')
  const filter = isFilter(asked) ? asked : 'all'
  const path = sitePath(site)
  const list = usePages<HealthPage>(`sites/${site.id}/health/pages/${filter}`, (query) =>
    body(
      api.GET('/v1/orgs/{organizationId}/sites/{siteId}/health/pages', {
        params: { path, query: { ...query, filter } },
      }),
    ),
  )
  const numbers: Record<Filter, number> = {
    all: counts.total,
    unread: counts.unread,
    outdated: counts.outdated,
    'broken-links': counts.brokenLinks,
    unhelpful: counts.unhelpful,
  }
  return (
    <section class="stack" aria-labelledby="pages">
      <div class="row wrap">
        <h2 class="h grow" id="pages">
          {w.pages}
        </h2>
        <Download site={site} table="pages" />
      </div>
      <div class="filters">
        <Segments
          label={w.show}
          value={filter}
          of={FILTERS.map((one) => [one, `${w.filters[one]} (${numbers[one]})`] as const)}
          onChange={(one) => setQuery({ filter: one === 'all' ? null : one })}
        />
      </div>
      <Listing
        of={list}
        icon="check"
        noneTitle={w.noneTitle}
        none={w.none}
        columns={[
          { name: w.page },
          { name: w.counts.reads, class: 'num' },
          { name: w.feedback, class: 'num' },
          { name: w.counts.brokenLinks, class: 'num' },
          { name: w.changed },
        ]}
      >
        {(one) => <PageRow key={`${one.siteSpace}:${one.page.id}`} one={one} />}
      </Listing>
    </section>
  )
}

function PageRow({ one }: { one: HealthPage }) {
  const w = adminWords().health
  return (
    <tr>
      <td>
        <a href={`/s/${one.space}/p/${one.page.id}`} dir="auto">
          {one.page.title}
        </a>
      </td>
      <td class="num" data-label={w.counts.reads}>
        {one.reads}
      </td>
      <td class="num" data-label={w.feedback}>
        {fill(w.ratings, { helpful: one.helpful, unhelpful: one.unhelpful })}
      </td>
      <td class="num" data-label={w.counts.brokenLinks}>
        {one.brokenLinks === 0 ? 0 : <a href={`/s/${one.space}/links`}>{one.brokenLinks}</a>}
      </td>
      <td data-label={w.changed}>
        {one.changedAt !== null && <Time iso={one.changedAt} />}
        {one.outdated && (
          <>
            {' '}
            <Chip tone="wait" icon="warn">
              {w.outdated}
            </Chip>{' '}
            <span class="sm muted">
              <code>{one.outdated.path}</code> <Time iso={one.outdated.changedAt} />
            </span>
          </>
        )}
      </td>
    </tr>
  )
}
