package gallery

import "pollux/tool"

const goAnswer = "Each prediction now asks the zone:\n\n```go\n" + `// At returns the height of the water at a station, in meters above chart datum.
func (p *Predictor) At(s Station, at time.Time) (float64, error) {
	zone, err := time.LoadLocation(s.Zone)
	if err != nil {
		return 0, fmt.Errorf("station %q: %w", s.Name, err)
	}
	height := 0.0
	for _, c := range p.constituents { // M2, S2, N2, ...
		height += c.Amplitude * math.Cos(c.Speed*hours(at.In(zone))+c.Phase)
	}
	return height, nil
}
` + "```\n\nNothing else changes."

const pythonAnswer = "```python\n" + `@dataclass
class Station:
    """A place with a tide gauge."""

    name: str
    zone: str = "UTC"

    def local(self, at: datetime) -> datetime:
        return at.astimezone(ZoneInfo(self.zone))  # raises for an unknown zone
` + "```"

const diffAnswer = "The change to the importer would be:\n\n```diff\n" + `--- a/scripts/import.py
+++ b/scripts/import.py
@@ -12,3 +12,3 @@
 for row in csv.DictReader(file):
-    offset = int(row["offset"])
+    zone = row["zone"]
     stations.append(row)
` + "```"

// zoneBefore and zoneAfter are a file before and after an edit, zoneDiff is the difference.
const (
	zoneBefore = `// Station is a place with a tide gauge.
type Station struct {
	Name   string
	Offset int // minutes east of UTC
}

// Local returns a time as the clocks at the station show it.
func (s Station) Local(at time.Time) time.Time {
	return at.Add(time.Duration(s.Offset) * time.Minute)
}
`
	zoneAfter = `// Station is a place with a tide gauge.
type Station struct {
	Name string
	Zone *time.Location
}

// Local returns a time as the clocks at the station show it.
func (s Station) Local(at time.Time) time.Time {
	return at.In(s.Zone)
}
`
	zoneDiff = `--- internal/tide/station.go
+++ internal/tide/station.go
@@ -1,10 +1,10 @@
 // Station is a place with a tide gauge.
 type Station struct {
-	Name   string
-	Offset int // minutes east of UTC
+	Name string
+	Zone *time.Location
 }
 
 // Local returns a time as the clocks at the station show it.
 func (s Station) Local(at time.Time) time.Time {
-	return at.Add(time.Duration(s.Offset) * time.Minute)
+	return at.In(s.Zone)
 }
`
)

// zoneChange returns the edit of a file.
func zoneChange() tool.DiffDisplay {
	before := zoneBefore
	return tool.DiffDisplay{
		FileName: "station.go", FilePath: work + "/internal/tide/station.go", Before: &before, After: zoneAfter, Diff: zoneDiff,
		Stat: tool.DiffStat{ModelAddedLines: 3, ModelRemovedLines: 3},
	}
}

const newFile = `package tide

import "testing"

func TestClockChange(t *testing.T) {
	for _, date := range []string{"2026-03-28", "2026-03-30"} {
		check(t, date)
	}
}
`

// fileChange returns the making of a file.
func fileChange() tool.DiffDisplay {
	return tool.DiffDisplay{FileName: "zone_test.go", FilePath: work + "/internal/tide/zone_test.go", NewDirs: 1, After: newFile, Stat: tool.DiffStat{ModelAddedLines: 9}}
}
