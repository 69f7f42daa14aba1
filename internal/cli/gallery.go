package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/face/tui"
	"pollux/internal/manage"
	"pollux/internal/terminal"
)

// galleryName is the name of the command that prints the parts of the terminal user interface.
const galleryName = "ui-gallery"

// galleryCommands returns [galleryCommand] if these arguments may mean it: its declaration would delay every start.
func galleryCommands(args []string) []subcommand {
	if !isCompletionRequest(args) && !slices.Contains(args, galleryName) {
		return nil
	}
	return []subcommand{galleryCommand}
}

// galleryCommand returns the hidden subcommand that prints the parts of the terminal user interface, for people who
// change them.
func galleryCommand(t *terminal.Terminal, env *config.Env) *cobra.Command {
	o := tui.GalleryOptions{Terminal: t, Getenv: env.Get}
	isList := false
	cmd := &cobra.Command{
		Use: galleryName + " [scene]...", Short: "Print the parts of the terminal user interface", Hidden: true, Args: cobra.ArbitraryArgs,
		ValidArgsFunction: completeValues(func([]string, string) ([]string, manage.Offer) { return tui.GalleryScenes(), manage.Nothing }),
		RunE: func(_ *cobra.Command, words []string) error {
			var err error
			if o.Scenes = words; isList {
				_, err = t.Out.Write([]byte(strings.Join(tui.GalleryScenes(), "\n") + "\n"))
			} else {
				err = tui.Gallery(o)
			}
			if err != nil {
				return exit.Errorf(exit.General, "%w", err)
			}
			return nil
		},
	}
	cmd.Flags().IntVar(&o.Width, "width", 0, "Number of columns, by default those of the terminal")
	cmd.Flags().StringVar(&o.Theme, "theme", "", "Name of a built-in theme")
	cmd.Flags().BoolVar(&isList, "list", false, "Print only the names of the scenes")
	return cmd
}
