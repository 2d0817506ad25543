import { FAILURES_PER_MINUTE } from './authentication.ts'
import { PROBLEM_KINDS, problemType } from './problem.ts'
import { SUPPORTED_VERSION } from './versions.ts'

/** What holds for the whole interface, in Markdown; the page makes a chapter of each heading. */
export function apiDescription(): string {
  return `OpenTelemetry in, root causes out. All data belongs to a Grid, which the path names by its \`gridSecondaryId\`.

# Version
Every request names the version of the interface, as \`api-version=${SUPPORTED_VERSION}\` in the query or in the header \`X-Api-Version: ${SUPPORTED_VERSION}\`. Answers name the supported one in \`api-supported-versions\`.

# Authentication
Either \`API-Key: <key>\` or \`Authorization: Bearer <token>\`; the key wins where both are given. A key belongs to one Grid and has a role and scopes. People and clients have roles on Grids; a platform administrator acts as an Owner of every Grid.

After ${FAILURES_PER_MINUTE} refused credentials a minute from one address (one /64 of IPv6), further refusals are answered with 429. A valid credential always passes. Requests without any credential are not counted.

# Order of checks
Path (404), method (405), version (400), authentication (401), the form of \`gridSecondaryId\` (400), access to the Grid, its subscription, role, scope (403), rate limits (429), parameters and body (400, 413, 415), the resource itself (404).

# Rate limits
Each caller and each Grid has a bucket of tokens that holds one minute's worth and refills continuously; a request takes one from both. \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\` (seconds until it is full) describe the tighter one. A 429 says in \`Retry-After\` how many seconds to wait. Besides, at most 4 questions of one caller run at once; more wait for up to 5 seconds.

# Values
- Datetimes are ISO 8601: a date, a time to the minute or finer (up to nine digits of a second), and an offset, \`Z\`, or nothing for UTC. A date alone is refused. Answers are in UTC with milliseconds.
- Ids are hex in any letter case; answers have them in lower case.
- Numbers have at most two decimals; thresholds are judged before rounding.
- Unknown parameters of the query are ignored; unknown fields of a body are refused.
- Attributes are strings, numbers and booleans; arrays and maps are JSON text, and an attribute without a value is an empty string.
- \`HEAD\` works wherever \`GET\` does.

# Problems
Every error is \`application/problem+json\` with \`type\`, \`title\`, \`status\`, \`detail\` and \`instance\`. The header \`X-Request-Id\` of every answer names it in the server's log; give your own in the request (1 to 64 letters, digits and \`. _ : -\`) to find it again.

| Type | Status | Meaning |
|---|---|---|
${problemRows()}
`
}

function problemRows(): string {
  return Object.entries(PROBLEM_KINDS)
    .map(
      ([kind, { status, about }]) =>
        `| \`${problemType(kind as keyof typeof PROBLEM_KINDS)}\` | ${status} | ${about} |`,
    )
    .join('\n')
}
